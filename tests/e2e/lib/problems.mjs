// Collects what no test may cause: errors on a console, uncaught exceptions, violations of the content policy, and WebGL
// calls refused by the driver, of every page and worker of the extension in Chromium.
const text = (argument) => String(argument.value ?? argument.description ?? argument.type);

/** Listens on one debugging session; enabling a domain also tells what happened before. */
async function listen(session, where, problems) {
  session.on('Runtime.consoleAPICalled', ({ type, args }) => {
    if (type === 'error' || type === 'assert')
      problems.push(`${where}: console.${type}: ${args.map(text).join(' ')}`);
  });
  session.on('Runtime.exceptionThrown', ({ exceptionDetails: details }) => {
    const said = details.exception?.description ?? details.text;
    problems.push(`${where}: uncaught ${said} (${details.url}:${details.lineNumber + 1})`);
  });
  session.on('Log.entryAdded', ({ entry }) => {
    const refused = /GL_INVALID|WebGL: INVALID/.test(entry.text);
    if (entry.level === 'error' || refused)
      problems.push(`${where}: ${entry.source}: ${entry.text} ${entry.url ?? ''}`);
  });
  await session.send('Runtime.enable');
  await session.send('Log.enable').catch(() => {});
}

/**
 * Watches every target of the extension from now on. `problems` grows; `letGo` ends the watch of one target, since a
 * service worker that is being debugged cannot end and start again.
 */
export function watchProblems(browser, origin) {
  const problems = [];
  const known = new Map();
  const watchWorker = (worker, where) =>
    listen(worker.client, `${where} worker`, problems).catch(() => {});
  const watch = async (target) => {
    const type = target.type();
    if (known.has(target) || !target.url().startsWith(origin)) return;
    if (target.url().endsWith('.png')) return; // the observer's seat, whose markup is the browser's own
    known.set(target, null);
    const where = target.url().slice(origin.length) || type;
    if (type === 'service_worker') {
      known.set(target, await target.createCDPSession());
      await listen(known.get(target), where, problems);
    } else if (type === 'page' || type === 'background_page') {
      const page = await target.asPage();
      await listen(await page.createCDPSession(), where, problems);
      page.on('workercreated', (worker) => watchWorker(worker, where));
      for (const worker of page.workers()) await watchWorker(worker, where);
    }
  };
  // A target may be gone before it is reached: then it can cause nothing more.
  const safely = (target) => watch(target).catch(() => {});
  browser.on('targetcreated', safely);
  browser.on('targetchanged', safely);
  for (const target of browser.targets()) safely(target);
  const letGo = async (target) => {
    await known.get(target)?.detach();
  };
  return { problems, letGo };
}
