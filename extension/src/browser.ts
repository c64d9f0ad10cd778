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

/** A text of the package in the person's language, '' where none is called so; texts.ts knows the names. */
export function localText(name: string, values: string[]): string {
  return chrome.i18n.getMessage(name, values);
}

/** The language of the browser's own windows, such as en-GB. */
export function uiLanguage(): string {
  return chrome.i18n.getUILanguage();
}

/** Opens the dashboard in a tab; the popup's button does this. */
export async function openDashboard(): Promise<void> {
  await chrome.tabs.create({ url: packageUrl('dashboard.html') });
}

/** What a person may switch on or off; granting is what switches it on. */
export type Extra = 'notifications' | 'power' | 'background';

/** Those that there are in this browser. */
export function offeredExtras(): Extra[] {
  return (chrome.runtime.getManifest().optional_permissions ?? []) as Extra[];
}

export function isGranted(extra: Extra): Promise<boolean> {
  return chrome.permissions.contains({ permissions: [extra] });
}

/** Must be called in answer to a click; false where the person declines. */
export function grant(extra: Extra): Promise<boolean> {
  return chrome.permissions.request({ permissions: [extra] });
}

export async function withdraw(extra: Extra): Promise<void> {
  // Nobody could let go of the machine any more once the permission is gone. Firefox has no such API.
  const { power } = chrome as { power?: typeof chrome.power };
  if (extra === 'power') power?.releaseKeepAwake();
  await chrome.permissions.remove({ permissions: [extra] });
}

interface ScriptPolicy {
  createScriptURL: (url: string) => string;
}
interface TrustedPolicies {
  createPolicy: (name: string, rules: ScriptPolicy) => ScriptPolicy;
}

let policy: ScriptPolicy | null = null;

/** The training worker's script as `new Worker` wants it. */
export function trainingWorkerUrl(): string {
  return trusted(packageUrl('training.js'));
}

/** The script of the training core's threads, for the training worker: it lies beside its own, and no API tells where. */
export function coreWorkerUrl(): string {
  return trusted(new URL('core_threads.worker.js', globalThis.location.href).href);
}

/**
 * The policy here is the only one that the extension's content security policy allows. A page, or the training worker,
 * starts one script, and the policy lets nothing else through.
 */
function trusted(script: string): string {
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
