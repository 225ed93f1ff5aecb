import { createRequire } from 'node:module'
import type { DestinationStream } from 'pino'

const require = createRequire(import.meta.url)

/** Where readable lines go. */
export interface PrettyTarget {
  write(text: string): unknown
  /** Whether it understands colours. */
  hasColors: boolean
}

/** Turns the log's JSON lines into lines for a person at a terminal. */
export function openPrettyOutput(target: PrettyTarget): DestinationStream {
  // Loaded only where a person reads the log.
  const { prettyFactory } = require('pino-pretty') as typeof import('pino-pretty')
  const prettify = prettyFactory({
    colorize: target.hasColors,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
  })
  return { write: (line) => void target.write(prettify(escapeControls(line)) ?? line) }
}

/**
 * Shows control characters as `\u001b` instead of sending them to the terminal: what is logged may come from
 * a stranger's server. Line ends and tabs stay, since stacks have them.
 */
function escapeControls(jsonLine: string): string {
  return jsonLine
    .replace(/\\(?:u00(?:[01][0-9a-f]|7f|[89][0-9a-f])|[\s\S])/gi, (escaped) =>
      /^\\(?:u|[rbf])/.test(escaped) ? `\\${escaped}` : escaped,
    )
    .replace(/[\u007f-\u009f]/g, (character) => {
      return `\\\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    })
}
