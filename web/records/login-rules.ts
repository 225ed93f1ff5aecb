import { linesOf } from '../lib/lines-of.ts'

/** From where and until when someone may log in, as forms have it; empty for any and for no end. */
export function loginRulesDraftOf(record?: { networks: string[]; validUntil: string | null }) {
  return {
    /** One on each line. */
    networks: record?.networks.join('\n') ?? '',
    validUntil: record?.validUntil ?? '',
  }
}

/** Returns the values for the API. */
export const loginRulesOf = ({ networks, validUntil }: ReturnType<typeof loginRulesDraftOf>) => ({
  networks: linesOf(networks),
  validUntil: validUntil === '' ? null : validUntil,
})
