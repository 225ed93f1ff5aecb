import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const reportNames = ['postfix', 'exchange', 'gmail', 'amazon', 'yahoo', 'outlook'] as const
export type ReportName = (typeof reportNames)[number]

/** The message that a report is about. */
export interface ReportedMessage {
  recipient?: string
  /** Without angle brackets. */
  messageId?: string
}

/** Returns a report in the shape of a real one, about `<order-1@shop.example>` to `jane@example.net` unless others are given. */
export function readSample(
  name: ReportName,
  { recipient = 'jane@example.net', messageId = 'order-1@shop.example' }: ReportedMessage = {},
): string {
  return readFileSync(join(import.meta.dirname, 'reports', `${name}.eml`), 'utf8')
    .replaceAll('jane@example.net', recipient)
    .replaceAll('order-1@shop.example', messageId)
}

/** Writes a delivery status notification whose recipients have these fields. */
export function composeStatus(recipients: readonly string[], more = ''): string {
  return [
    'From: MAILER-DAEMON@mx.example.net',
    'Message-ID: <report@mx.example.net>',
    'Date: Thu, 26 Nov 2026 10:00:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    more,
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.net',
    '',
    ...recipients.flatMap((fields) => [fields.trim().replaceAll('\n', '\r\n'), '']),
    '--b',
    'Content-Type: text/rfc822-headers',
    '',
    'To: jane@example.net',
    'Message-ID: <order-1@shop.example>',
    '',
    '--b--',
    '',
  ].join('\r\n')
}
