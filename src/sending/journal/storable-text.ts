/** What servers and senders say may hold what PostgreSQL takes in no text: NUL, and halves of characters. */
export function storableText(text: string): string {
  return text.includes('\0') || !text.isWellFormed()
    ? text.replaceAll('\0', '').toWellFormed()
    : text
}
