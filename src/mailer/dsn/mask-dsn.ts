import type { DsnNode } from '../grammar/dsn.ts'
import { readDsn } from '../grammar/read-dsn.ts'
import { secretMask } from '../secret.ts'
import { labelOf } from './label.ts'
import { leavesOf, secretSpans } from './secret-spans.ts'

/**
 * The same DSN with `********` in the place of every secret: passwords, keys in the user part, secret
 * options. Everything else stays byte for byte. A text that is no DSN shows its scheme at most.
 */
export function maskDsn(text: string): string {
  const node = tryRead(text)
  if (node === undefined) return `${schemeOf(text)}${secretMask}`
  let masked = ''
  let from = 0
  for (const leaf of leavesOf(node))
    for (const { span } of secretSpans(leaf)) {
      masked += text.slice(from, span.start) + secretMask
      from = span.end
    }
  return masked + text.slice(from)
}

/**
 * Scheme, host and port, and nothing else of a DSN: fit for logs. Lists show their members; a text
 * that is no DSN shows its scheme at most.
 */
export function describeDsn(text: string): string {
  const node = tryRead(text)
  return node === undefined ? `${schemeOf(text)}…` : labelOf(node)
}

function tryRead(text: string): DsnNode | undefined {
  try {
    return readDsn(text)
  } catch {
    return undefined
  }
}

function schemeOf(text: string): string {
  return /^[a-z0-9+.-]{1,32}:\/\//.exec(text)?.[0] ?? ''
}
