// How long a page's main thread is busy at once. The browser's own trace says of each task how much processor time it took,
// which other programs of a loaded machine do not lengthen, as they do its duration.

const CATEGORIES = [
  'toplevel',
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  'blink.user_timing',
  'v8',
];
const MARK = 'shadegrad: watched from here';

/** Runs in the page: what it says itself of its long tasks, by duration. */
const observeLongTasks = () => {
  globalThis.longTasks = [];
  new globalThis.PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longTasks.push(duration);
  }).observe({ entryTypes: ['longtask'] });
};

/**
 * The tasks of the page's main thread while `body` runs, those that took most processor time first: {cpu, wall, what} in
 * milliseconds, where `what` names the longest parts of it; and the durations of its long tasks as the page sees them.
 */
export async function watchMainThread(page, body) {
  await page.evaluate(observeLongTasks);
  await page.tracing.start({ categories: CATEGORIES });
  await page.evaluate((mark) => performance.mark(mark), MARK);
  await body();
  const longTasks = await page.evaluate(() => globalThis.longTasks);
  const trace = Buffer.from(await page.tracing.stop()).toString();
  const { traceEvents } = JSON.parse(trace);
  const mark = traceEvents.find(({ name }) => name === MARK);
  if (mark === undefined) throw new Error('the trace does not show the page');
  const own = traceEvents.filter(({ pid, tid, ts }) => {
    return pid === mark.pid && tid === mark.tid && ts >= mark.ts;
  });
  // The trace ends in the middle of one, which then has no end.
  const tasks = own.filter(({ name, tdur }) => name.endsWith('RunTask') && tdur !== undefined);
  if (tasks.length === 0)
    throw new Error('the trace does not say how much processor time tasks took');
  return {
    longTasks,
    tasks: tasks
      .map(({ ts, dur, tdur }) => ({
        cpu: tdur / 1000,
        wall: dur / 1000,
        what: () => partsOf(own, ts, dur),
      }))
      .sort((a, b) => b.cpu - a.cpu),
  };
}

/** The parts of a task that took more than a millisecond. */
function partsOf(events, ts, dur) {
  return events
    .filter((one) => one.ph === 'X' && one.ts >= ts && one.ts + one.dur <= ts + dur)
    .filter(({ tdur = 0, name }) => tdur > 1000 && !name.endsWith('RunTask'))
    .map(({ name, tdur, args }) => {
      const { functionName = '', url = '' } = args?.data ?? {};
      return `${name} ${functionName} ${url.split('/').at(-1)} ${(tdur / 1000).toFixed(1)}`;
    });
}
