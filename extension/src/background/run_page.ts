// Brings the dashboard to the front at a run, in the tab where it is open already, else in a new one.
import { packageUrl } from '../browser.ts';

export async function openRun(run: string): Promise<void> {
  const page = packageUrl('dashboard.html');
  const url = `${page}#run=${encodeURIComponent(run)}`;
  const tabs = await chrome.runtime.getContexts({ contextTypes: [chrome.runtime.ContextType.TAB] });
  const open = tabs.find(({ documentUrl }) => documentUrl?.split('#')[0] === page);
  if (open === undefined) {
    await chrome.tabs.create({ url });
    return;
  }
  await chrome.tabs.update(open.tabId, { active: true, url });
  await chrome.windows.update(open.windowId, { focused: true });
}
