// Base64 of bulk bytes. Browsers since Chrome 140 and Firefox 133 have it built in, at hundreds of MB/s; older ones go
// through binary strings.

interface NativeBase64 {
  fromBase64?: (text: string) => Uint8Array<ArrayBuffer>;
}

/** Throws on anything that is not base64. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as unknown as NativeBase64).fromBase64;
  if (native !== undefined) return native.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export function encodeBase64(bytes: Uint8Array): string {
  const own = bytes as Uint8Array & { toBase64?: () => string };
  if (own.toBase64 !== undefined) return own.toBase64();
  let binary = '';
  // Arguments of one call are limited; 32 Ki is safe everywhere.
  for (let at = 0; at < bytes.length; at += 32_768) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  }
  return btoa(binary);
}
