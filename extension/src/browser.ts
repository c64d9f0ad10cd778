// The seam to the browser: the only place outside the background and the pages' entry points that names chrome.* or
// browser.*. Chromium and Firefox both answer to `chrome` with promises in Manifest V3.

/** Asks the background to open the training context; answers {ok: true} or {ok: false, code, message}. */
export async function openTraining(): Promise<unknown> {
  return chrome.runtime.sendMessage({ type: 'training.open' });
}

/** The address of a file of this package. */
export function packageUrl(path: string): string {
  return chrome.runtime.getURL(path);
}

export function extensionVersion(): string {
  return chrome.runtime.getManifest().version;
}

/** Opens the dashboard in a tab; the popup's button does this. */
export async function openDashboard(): Promise<void> {
  await chrome.tabs.create({ url: packageUrl('dashboard.html') });
}

interface ScriptPolicy {
  createScriptURL: (url: string) => string;
}
interface TrustedPolicies {
  createPolicy: (name: string, rules: ScriptPolicy) => ScriptPolicy;
}

let policy: ScriptPolicy | null = null;

/**
 * The training worker's script as `new Worker` wants it. The policy below is the only one that the extension's content
 * security policy allows, and it lets nothing but this one script through.
 */
export function trainingWorkerUrl(): string {
  const script = packageUrl('training.js');
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedPolicies };
  if (trustedTypes === undefined) return script;
  policy ??= trustedTypes.createPolicy('shadegrad', {
    createScriptURL: (url) => {
      if (url === script) return url;
      throw new TypeError(`${url} is not a script of this extension.`);
    },
  });
  return policy.createScriptURL(script);
}
