import type { ParsedMessage } from '../../message/parsed-message.ts'

type Reading = (text: string) => unknown

const asText: Reading = (text) => text
const asNumber: Reading = (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined)
const asBoolean: Reading = (text) => /^(1|true|yes|on)$/i.test(text)

/** Headers that Symfony's bridge turns into fields, in lower case; templates are no business of ours. */
const fieldsByHeader: Record<string, readonly [field: string, read: Reading]> = {
  'x-mj-customid': ['CustomID', asText],
  'x-mj-eventpayload': ['EventPayload', asText],
  'x-mailjet-campaign': ['CustomCampaign', asText],
  'x-mailjet-deduplicatecampaign': ['DeduplicateCampaign', asBoolean],
  'x-mailjet-prio': ['Priority', asNumber],
  'x-mailjet-trackclick': ['TrackClicks', asText],
  'x-mailjet-trackopen': ['TrackOpens', asText],
}

/** Mailjet's fields that a message names in its headers, and the headers that are left. */
export function messageFields(headers: ParsedMessage['headers']): {
  fields: Record<string, unknown>
  rest: ParsedMessage['headers']
} {
  const fields: Record<string, unknown> = {}
  const rest = headers.filter(({ name, value }) => {
    const found = fieldsByHeader[name.toLowerCase()]
    if (found === undefined) return true
    fields[found[0]] = found[1](value)
    return false
  })
  return { fields, rest }
}
