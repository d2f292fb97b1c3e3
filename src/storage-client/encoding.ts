/** UTF-8 text as base64 (RFC 4648 §4), in which the service takes metadata. */
export function encodeBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
