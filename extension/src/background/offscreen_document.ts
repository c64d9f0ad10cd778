// Makes sure that the one offscreen document is there. The browser knows whether it is, a restarted service worker
// does not, and two pages may ask at the same moment.

let opening: Promise<void> | null = null;

export async function openOffscreen(page: string): Promise<void> {
  // A document that is still loading is listed already, but nobody in it listens yet.
  if (opening !== null) return opening;
  if (await isOffscreenOpen(page)) return;
  opening ??= chrome.offscreen
    .createDocument({
      url: page,
      reasons: [chrome.offscreen.Reason.WORKERS],
      justification: 'Trains the neural network in a worker, while no page is open as well.',
    })
    .finally(() => {
      opening = null;
    });
  await opening;
}

export async function isOffscreenOpen(page: string): Promise<boolean> {
  const contexts = await chrome.runtime.getContexts({
    contextTypes: [chrome.runtime.ContextType.OFFSCREEN_DOCUMENT],
    documentUrls: [chrome.runtime.getURL(page)],
  });
  return contexts.length > 0;
}
