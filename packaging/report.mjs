// Reads one suite's machine-readable report and prints "PASSED FAILED"; what failed goes to stderr. A suite that crashed,
// left no readable report, skipped a test or ran none counts as failed, so that silence is never taken for success.
// Usage: node report.mjs catch2|vitest|node|checks FILE EXIT_STATUS
import { existsSync, readFileSync } from 'node:fs';

const unescapeXml = (text) =>
  text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&apos;/g, "'")
    .replace(/&#(\d+);|&#x([\da-f]+);/gi, (_, ten, hex) =>
      String.fromCodePoint(ten ? Number(ten) : parseInt(hex, 16)),
    )
    .replace(/&amp;/g, '&');
const attribute = (tag, name) =>
  unescapeXml(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
const shorten = (text) => unescapeXml(text).trim().replace(/\s+/g, ' ').slice(0, 400);

/** Catch2's XML: one TestCase each, with its OverallResult. A truncated file is a crash. */
function catch2(text) {
  const result = { passed: 0, failures: [], complete: text.trimEnd().endsWith('</Catch>') };
  for (const part of text.split('<TestCase ').slice(1)) {
    const head = part.slice(0, part.indexOf('>'));
    const place = `${attribute(head, 'filename')}:${attribute(head, 'line')}`;
    if (/<OverallResult success="true"/.test(part)) {
      result.passed++;
      continue;
    }
    const [before, failed = part] = part.split('<Expression success="false"');
    const known = [...before.matchAll(/<Info>([^]*?)<\/Info>/g)].at(-1)?.[1];
    const tell = (tag) => new RegExp(`<${tag}[^>]*>([^]*?)</${tag}>`).exec(failed)?.[1];
    const detail = ['Expanded', 'Exception', 'FatalErrorCondition', 'Failure'].map(tell);
    const line = attribute(failed, 'line');
    result.failures.push(
      `${attribute(head, 'name')} (${place}, line ${line}): ${shorten(detail.find(Boolean) ?? 'did not end')}${known === undefined ? '' : ` [${shorten(known)}]`}`,
    );
  }
  return result;
}

function vitest(text) {
  const report = JSON.parse(text);
  const result = { passed: report.numPassedTests, failures: [], complete: true };
  for (const file of report.testResults) {
    const bad = file.assertionResults.filter((one) => one.status !== 'passed');
    for (const one of bad) {
      result.failures.push(`${one.fullName} [${one.status}]: ${one.failureMessages.join(' ')}`);
    }
    if (file.status !== 'passed' && bad.length === 0) {
      result.failures.push(`${file.name}: ${file.message}`);
    }
  }
  return result;
}

/** One JSON object a line, from tests/e2e/reporter.mjs; the last one says that the run has ended. */
function node(text) {
  const lines = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const tests = lines.filter((line) => line.test);
  return {
    passed: tests.filter((one) => one.ok).length,
    failures: tests.filter((one) => !one.ok).map((one) => `${one.test}: ${one.message}`),
    complete: lines.at(-1)?.end === true,
  };
}

/** Lines "ok NAME" and "failed NAME", from the checks that have an exit status only. */
function checks(text) {
  const lines = text.split('\n').filter(Boolean);
  return {
    passed: lines.filter((line) => line.startsWith('ok ')).length,
    failures: lines.filter((line) => line.startsWith('failed ')),
    complete: true,
  };
}

function read(format, file, status) {
  const result = { passed: 0, failures: [], complete: false };
  try {
    if (!existsSync(file)) throw new Error('it left no report');
    Object.assign(result, { catch2, vitest, node, checks }[format](readFileSync(file, 'utf8')));
  } catch (error) {
    result.failures.push(`no readable report: ${error.message}`);
  }
  if (result.failures.length === 0) {
    if (!result.complete) result.failures.push('the suite did not run to its end');
    else if (result.passed === 0) result.failures.push('the suite ran no test');
    else if (status !== 0) result.failures.push(`the suite ended with status ${status}`);
  }
  return result;
}

const [format, file, status] = process.argv.slice(2);
const { passed, failures } = read(format, file, Number(status));
for (const failure of failures) process.stderr.write(`FAILED ${failure.slice(0, 2000)}\n`);
process.stdout.write(`${passed} ${failures.length}\n`);
