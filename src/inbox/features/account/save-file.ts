/** Offers a text as a download. @param type the media type. */
export function saveFile(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Revoke the URL later, because the browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
