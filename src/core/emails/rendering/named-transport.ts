import { parseTokens } from '../../mime/index.ts'
import type { EmailRow } from '../table.ts'

/** The header by which an email names the transport that it is sent through, by name or id. It is not sent out. */
export const transportHeader = 'x-mailyard-transport'

/** Longer than the name of any transport. */
const nameLengthMax = 1_000

/** Finds the transport that headers name; undefined where they name none. */
export function findNamedTransport(headers: Readonly<Record<string, string>>): string | undefined {
  const header = Object.entries(headers).find(([name]) => name.toLowerCase() === transportHeader)
  // PostgreSQL takes no NUL, not even in a question.
  const text = (header?.[1] ?? '').replaceAll('\0', '').trim().slice(0, nameLengthMax)
  return text === '' ? undefined : text
}

/** Whether the transport that an email names depends on the contact: its header has tokens or is Twig. */
export function dependsOnContact(email: Pick<EmailRow, 'headers' | 'is_twig'>): boolean {
  const named = findNamedTransport(JSON.parse(email.headers) as Record<string, string>)
  if (named === undefined) return false
  const hasTokens = parseTokens(named).some((segment) => typeof segment !== 'string')
  return hasTokens || (Boolean(email.is_twig) && /\{[{%#]/.test(named))
}
