import { fold } from './fold.ts'

/** What an email address is compared by: two with the same key are one address. Outer blanks and letter case do not matter. */
export function emailKey(address: string): string {
  return fold(address.trim())
}
