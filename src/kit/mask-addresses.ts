/** Replaces each word that holds an email address, for logs: servers repeat recipients in their replies. */
export function maskAddresses(text: string): string {
  return text.replace(/\S+/g, (word) => (word.includes('@') ? '[address]' : word))
}
