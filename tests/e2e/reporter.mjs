// Node's test reporter for packaging/test.sh: one JSON object a line for every test (not for the suites around them), and
// a last line once all files have ended.
export default async function* report(source) {
  for await (const { type, data } of source) {
    const over = type === 'test:pass' || type === 'test:fail';
    if (over && data.details?.type !== 'suite') {
      const skipped = data.skip !== undefined || data.todo !== undefined;
      const cause = data.details?.error?.cause ?? data.details?.error;
      yield `${JSON.stringify({
        test: data.name,
        file: data.file,
        ok: type === 'test:pass' && !skipped,
        seconds: data.details?.duration_ms / 1000,
        message: skipped ? 'skipped' : String(cause?.stack ?? cause ?? ''),
      })}\n`;
    }
  }
  yield '{"end":true}\n';
}
