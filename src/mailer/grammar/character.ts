import { DsnError } from './dsn-error.ts'
import { percentOf } from './percent.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const control = /[\u0000-\u001f\u007f]/

const names: Record<string, string> = {
  ' ': 'a blank',
  '\t': 'a tab',
  '\n': 'a line feed',
  '\r': 'a carriage return',
  '\0': 'a NUL',
}

/** A character as a sentence names it: `a blank`, `"/"`. */
export function nameOf(character: string): string {
  if (names[character] !== undefined) return names[character]
  return control.test(character) ? 'a control character' : `"${character}"`
}

/**
 * Refuses control characters, and bytes that are no text, in a decoded value. Symfony passes them on, and with them a password or
 * an EHLO name can carry SMTP commands of its own.
 */
export function refuseControls(what: string, value: string): void {
  if (value.includes('\ufffd'))
    throw new DsnError(
      'control_character',
      `${what} holds bytes that are not UTF-8; percent-encode its UTF-8 form (for example ä as %C3%A4), and write a "%" that is meant as %25.`,
    )
  const found = control.exec(value)
  if (found === null) return
  throw new DsnError(
    'control_character',
    `${what} contains ${nameOf(found[0])} (${percentOf(found[0])}), which no mail server takes; remove it.`,
  )
}
