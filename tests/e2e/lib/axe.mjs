// axe-core in a page of the extension: its rules for the accessibility of what is shown right now.
import { readFileSync } from 'node:fs';
import { packageFile } from './puppeteer.mjs';

const AXE = readFileSync(packageFile('axe-core/axe.min.js'), 'utf8');

/** "rule: what is wrong, where" of every violation; of some rules alone where they are named. */
export async function violations(page, rules = null) {
  // The driver evaluates beside the page's policy: nothing of it is in the package.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  return page.evaluate(async (names) => {
    const only = names === null ? {} : { runOnly: names };
    const { violations: found, passes } = await globalThis.axe.run(document, {
      resultTypes: ['violations'],
      ...only,
    });
    if (passes.length === 0) return ['axe: no rule was applied'];
    return found.flatMap(({ id, help, nodes }) =>
      nodes.map(
        ({ target, failureSummary }) => `${id}: ${help}, ${target.join(' ')} (${failureSummary})`,
      ),
    );
  }, rules);
}
