// The judge of every suite: what it counts as failed must not slip through as a pass.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../packaging/report.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'report-'));
after(() => rmSync(folder, { recursive: true }));

function judge(format, content, status = 0) {
  const file = join(folder, 'report');
  if (content === null) rmSync(file, { force: true });
  else writeFileSync(file, content);
  const args = [program, format, file, String(status)];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { counts: stdout.trim(), said: stderr };
}

const oneCase = (name, success, inside = '') =>
  `<TestCase name="${name}" filename="a.cpp" line="7">${inside}<OverallResult success="${success}"/></TestCase>`;
const catch2 = (...cases) => `<Catch name="tests"><Group>${cases.join('')}</Group></Catch>`;

test('cases of Catch2 are counted, and a failed one is told with its place and values', () => {
  const inside =
    '<Info>row 3</Info><Expression success="false" line="9"><Original>a &lt; b</Original><Expanded>2 &lt; 1</Expanded></Expression>';
  const report = catch2(oneCase('good', 'true'), oneCase('bad &amp; ugly', 'false', inside));
  const { counts, said } = judge('catch2', report, 1);
  assert.equal(counts, '1 1');
  assert.match(said, /FAILED bad & ugly \(a\.cpp:7, line 9\): 2 < 1 \[row 3\]/);
});

test('a report that stops in the middle, a missing one and an empty one are failures', () => {
  assert.equal(judge('catch2', `<Catch>${oneCase('good', 'true')}`).counts, '1 1');
  assert.equal(judge('catch2', null).counts, '0 1');
  assert.equal(judge('catch2', catch2()).counts, '0 1');
  assert.equal(judge('vitest', '{').counts, '0 1');
  assert.equal(judge('node', '{"test":"a","ok":true}\n').counts, '1 1');
});

test('an exit status other than 0 fails a suite whose tests all passed', () => {
  const { counts, said } = judge('catch2', catch2(oneCase('good', 'true')), 139);
  assert.equal(counts, '1 1');
  assert.match(said, /status 139/);
});

test('skipped tests are failures', () => {
  const vitest = {
    numPassedTests: 1,
    testResults: [
      {
        name: 'a.test.ts',
        status: 'passed',
        assertionResults: [
          { fullName: 'runs', status: 'passed', failureMessages: [] },
          { fullName: 'sleeps', status: 'skipped', failureMessages: [] },
        ],
      },
    ],
  };
  assert.equal(judge('vitest', JSON.stringify(vitest)).counts, '1 1');
});

test('checks are counted by their lines', () => {
  assert.equal(judge('checks', 'ok eslint\nok tsc\n').counts, '2 0');
  assert.equal(judge('checks', 'ok eslint\nfailed tsc\n', 1).counts, '1 1');
});

test('the reporter for Node writes one line a test and an end', () => {
  const file = join(folder, 'sample.test.mjs');
  writeFileSync(
    file,
    `import { describe, test } from 'node:test';
     describe('a suite', () => { test('passes', () => {}); test('skips', { skip: true }, () => {}); });
     test('fails', () => { throw new Error('on purpose'); });`,
  );
  const reporter = fileURLToPath(new URL('../e2e/reporter.mjs', import.meta.url));
  const { stdout } = spawnSync(process.execPath, ['--test', `--test-reporter=${reporter}`, file], {
    encoding: 'utf8',
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  });
  const { counts, said } = judge('node', stdout, 1);
  assert.equal(counts, '1 2');
  assert.match(said, /fails: Error: on purpose/);
  assert.match(said, /skips: skipped/);
});
