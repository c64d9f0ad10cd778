// A failure that a person reads: a code that programs compare, and a message that says what, where and what to do.

export class TrainingError extends Error {
  override readonly name = 'TrainingError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Code and message of whatever was thrown. */
export function failureOf(error: unknown): { code: string; message: string } {
  if (error instanceof Error) {
    const code = (error as { code?: unknown }).code;
    return { code: typeof code === 'string' ? code : 'training.failed', message: error.message };
  }
  return { code: 'training.failed', message: String(error) };
}
