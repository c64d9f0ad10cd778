// puppeteer-core lives among the extension's packages, which these folders are not below: it is resolved from there, so
// that one lock file holds every version.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(new URL('../../../extension/package.json', import.meta.url));

export const { default: puppeteer } = await import(
  pathToFileURL(require.resolve('puppeteer-core')).href
);

/** The path of a file in one of the extension's packages, such as 'vega-datasets/data/co2-concentration.csv'. */
export const packageFile = (path) =>
  new URL(`../../../extension/node_modules/${path}`, import.meta.url).pathname;
