import { fold } from './fold.ts'

/** What a name is looked up by. Outer blanks and letter case do not matter. */
export function nameKey(name: string): string {
  return fold(name.trim())
}
