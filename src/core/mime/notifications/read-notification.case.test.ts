import assert from 'node:assert/strict'
import { isAscii } from 'node:buffer'
import PostalMime, { type Email } from 'postal-mime'

/** A part of a notification, not decoded. */
interface Part {
  type: string
  encoding: string
  body: Buffer
}

/** The fields of a block of a report, by name. */
export type ReportFields = Record<string, string>

export interface ParsedNotification {
  /** As postal-mime reads it. */
  email: Email
  /** The decoded part that people read. */
  text: string
  ofMessage: ReportFields
  ofRecipients: ReportFields[]
  /** Undefined if nothing is returned. */
  returned: Part | undefined
}

/**
 * Parses a notification, and checks that it is one as RFC 3464 and RFC 6522 say: its parts, the grammar of its report, and
 * limits of lines.
 */
export async function readNotification(raw: Uint8Array): Promise<ParsedNotification> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const text = bytes.toString('latin1')
  assert.doesNotMatch(text, /\0/, 'no NUL')
  for (const line of text.split('\r\n')) assert.ok(line.length <= 998, 'no line above 998 bytes')
  const email = await PostalMime.parse(bytes, { forceRfc822Attachments: true })
  const header = (name: string) => email.headers.filter(({ key }) => key === name)
  for (const name of [
    'date',
    'from',
    'to',
    'subject',
    'message-id',
    'content-type',
    'mime-version',
  ])
    assert.equal(header(name).length, 1, name)
  assert.equal(header('auto-submitted')[0]?.value, 'auto-replied')
  const contentType = header('content-type')[0]?.value ?? ''
  assert.match(contentType, /^multipart\/report;\s*report-type=delivery-status;/)
  const boundary = /boundary="([^"]+)"/.exec(contentType)?.[1] ?? ''
  const [notice, report, returned, ...others] = splitParts(bytes, boundary)
  assert.deepEqual(others, [])
  assert.match(notice?.type ?? '', /^text\/plain/)
  assert.equal(report?.type, 'message/delivery-status')
  assert.ok(['', '7bit'].includes(report?.encoding ?? ''))
  const [ofMessage = {}, ...ofRecipients] = readReport(report?.body ?? Buffer.alloc(0))
  return { email, text: email.text ?? '', ofMessage, ofRecipients, returned }
}

function splitParts(bytes: Buffer, boundary: string): Part[] {
  const marks: number[] = []
  const mark = `\r\n--${boundary}`
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1)) marks.push(at)
  const last = marks.at(-1) ?? 0
  assert.equal(bytes.toString('latin1', last + mark.length), '--\r\n', 'it ends with the boundary')
  return marks.slice(0, -1).map((start, index) => {
    const part = bytes.subarray(start + mark.length + 2, marks[index + 1])
    const blank = part.indexOf('\r\n\r\n')
    const head = `\r\n${part.toString('latin1', 0, blank)}`
    const field = (name: string) => new RegExp(`\r\n${name}: ([^\r]*)`, 'i').exec(head)?.[1] ?? ''
    return {
      type: field('Content-Type'),
      encoding: field('Content-Transfer-Encoding'),
      body: part.subarray(blank + 4),
    }
  })
}

const required = ['Final-Recipient', 'Action', 'Status']

function readReport(body: Buffer): ReportFields[] {
  assert.ok(isAscii(body), 'the report is 7-bit')
  const text = body.toString('latin1').replace(/(?:\r\n)*$/, '')
  const blocks = text.split('\r\n\r\n').map((block) => {
    const fields: ReportFields = {}
    for (const line of block.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')) {
      const [, name = '', value = ''] = /^([A-Za-z][A-Za-z-]*): (\S[ -~]*)$/.exec(line) ?? []
      assert.notEqual(name, '', `"${line}" is a field`)
      assert.equal(fields[name], undefined, `${name} occurs once`)
      fields[name] = value
    }
    return fields
  })
  const [ofMessage = {}, ...ofRecipients] = blocks
  assert.match(ofMessage['Reporting-MTA'] ?? '', /^dns; \S+$/)
  assert.ok(ofRecipients.length > 0)
  for (const fields of ofRecipients) {
    for (const name of required) assert.ok(fields[name] !== undefined, name)
    assert.match(fields['Final-Recipient'] ?? '', /^(rfc822|utf-8); \S.*$/)
    assert.match(fields['Action'] ?? '', /^(failed|delayed|delivered|relayed|expanded)$/)
    assert.match(fields['Status'] ?? '', /^[245]\.\d{1,3}\.\d{1,3}$/)
  }
  return blocks
}
