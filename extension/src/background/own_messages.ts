// Listens to runtime messages of our own pages alone: whatever another extension or a web page managed to send is not
// looked at.
import type { BackgroundAnswer } from '../messages/relay.ts';
import { isRecord } from '../messages/validate.ts';

/** Answers of the messages that are handled, by type; null leaves a message to another context. */
export type Handler = (
  type: string,
  message: Record<string, unknown>,
) => Promise<BackgroundAnswer> | null;

export function isOwnSender(sender: chrome.runtime.MessageSender): boolean {
  if (sender.id !== chrome.runtime.id) return false;
  return sender.url?.startsWith(chrome.runtime.getURL('')) === true;
}

export function answerOwnMessages(handler: Handler): void {
  chrome.runtime.onMessage.addListener((message: unknown, sender, respond) => {
    if (!isOwnSender(sender) || !isRecord(message) || typeof message['type'] !== 'string')
      return false;
    const answer = handler(message['type'], message);
    if (answer === null) return false;
    answer
      .catch((error: unknown): BackgroundAnswer => {
        const reason = error instanceof Error ? error.message : String(error);
        return {
          ok: false,
          code: 'training.open',
          message: `The training could not be opened: ${reason}`,
        };
      })
      .then(respond, () => undefined);
    return true;
  });
}
