import type { RefusalKind } from '../../api/api-adapter.ts'

/** What a refusal of AhaSend is about where its status alone would mislead. */
export function kindOf(status: number, text: string): RefusalKind | undefined {
  // A conflict with a request of the same idempotency key, or while the account changes.
  if (status === 409) return 'provider'
  if (/credit|quota|plan|suspended/i.test(text)) return 'quota'
  // "domain is not yours", "domain DNS records are not valid"; the status is 400 or 403.
  if (status < 500 && /\bdomain\b/i.test(text)) return 'sender'
  return status === 404 && /account/i.test(text) ? 'credentials' : undefined
}
