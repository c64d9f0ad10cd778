// Relays between the training worker's MessagePort and the native host's port. It owns the native port, turns base64
// into transferred buffers on the way in and back on the way out, and says in one word how a port ended. An open native
// port keeps the background alive; when the background ends all the same, so does the host, and the worker links anew.
import { HOST_NAME, isDataFrame } from '../messages/host.ts';
import type { FromRelay, PortEnd, ToRelay } from '../messages/relay.ts';
import { isRecord } from '../messages/validate.ts';
import { decodeBase64, encodeBase64 } from './base64.ts';

/** The part of the browser's native port that is used here. */
export interface NativePort {
  /** Firefox names the reason of a disconnect here. */
  error?: { message: string } | null | undefined;
  postMessage: (message: unknown) => void;
  disconnect: () => void;
  onMessage: { addListener: (listener: (message: unknown) => void) => void };
  onDisconnect: { addListener: (listener: (port: NativePort) => void) => void };
}

export interface NativeMessaging {
  connectNative: (name: string) => NativePort;
  /** Chromium names the reason of a disconnect here, while the listener runs. */
  lastError: () => string | null;
}

/** How a port ended, from the browsers' own words; none of them means that the host ended by itself. */
export function portEnd(reason: string | null): PortEnd {
  if (reason === null || /has exited/i.test(reason)) return 'exited';
  if (/not found|no such native application|invalid native messaging host name/i.test(reason))
    return 'missing';
  if (/forbidden/i.test(reason)) return 'forbidden';
  return 'broken';
}

export class Relay {
  readonly #link: MessagePort;
  readonly #browser: NativeMessaging;
  #native: NativePort | null = null;
  /** How the newest port ended: what is sent after that gets the same answer, not another reason. */
  #end: { end: PortEnd; message: string } = {
    end: 'exited',
    message: 'There is no open port to the native host.',
  };

  constructor(link: MessagePort, browser: NativeMessaging) {
    this.#link = link;
    this.#browser = browser;
    link.onmessage = (event: MessageEvent<unknown>) => {
      this.#fromWorker(event.data);
    };
  }

  /** Ends the native port and the link; the worker gets no event of it. */
  close(): void {
    this.#disconnect();
    this.#link.onmessage = null;
    this.#link.close();
  }

  #fromWorker(data: unknown): void {
    if (!isRecord(data)) return;
    const message = data as ToRelay;
    if (message.type === 'relay.ping') this.#tell({ type: 'relay.pong', number: message.number });
    else if (message.type === 'relay.open') this.#open();
    else if (message.type === 'relay.close') this.#disconnect();
    else this.#send(message.message);
  }

  #open(): void {
    this.#disconnect();
    try {
      const native = this.#browser.connectNative(HOST_NAME);
      this.#native = native;
      native.onMessage.addListener((message) => {
        if (this.#native === native) this.#fromHost(message);
      });
      native.onDisconnect.addListener((port) => {
        const reason = this.#browser.lastError() ?? port.error?.message ?? null;
        if (this.#native === native)
          this.#ended(portEnd(reason), reason ?? 'Native host has exited.');
      });
    } catch (error) {
      this.#ended('broken', String(error));
    }
  }

  #disconnect(): void {
    const native = this.#native;
    this.#native = null;
    native?.disconnect();
  }

  #send(message: Record<string, unknown>): void {
    const { bytes } = message;
    const encoded =
      bytes instanceof ArrayBuffer
        ? { ...message, bytes: encodeBase64(new Uint8Array(bytes)) }
        : message;
    if (this.#native === null) {
      this.#ended(this.#end.end, this.#end.message);
      return;
    }
    try {
      this.#native.postMessage(encoded);
    } catch (error) {
      this.#ended('broken', String(error));
    }
  }

  #fromHost(message: unknown): void {
    if (!isRecord(message) || !isData(message)) {
      this.#tell({ type: 'relay.message', message });
      return;
    }
    try {
      const { buffer } = decodeBase64(message.bytes);
      this.#tell({ type: 'relay.message', message: { ...message, bytes: buffer } }, [buffer]);
    } catch {
      this.#disconnect();
      this.#ended('broken', 'The native host sent bytes that are not base64.');
    }
  }

  #ended(end: PortEnd, message: string): void {
    this.#native = null;
    this.#end = { end, message };
    this.#tell({ type: 'relay.closed', end, message });
  }

  #tell(message: FromRelay, transfer: Transferable[] = []): void {
    this.#link.postMessage(message, transfer);
  }
}

function isData(
  message: Record<string, unknown>,
): message is Record<string, unknown> & { bytes: string } {
  return isDataFrame(message['type']) && typeof message['bytes'] === 'string';
}
