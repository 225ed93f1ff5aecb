import { FaultError } from '../delivery/fault-error.ts'
import { readHeaders } from '../message/headers.ts'
import type { Attachment, Mailbox, ParsedMessage } from '../message/parse-message.ts'
import type { ApiMessage } from './api-adapter.ts'
import { base64 } from './json.ts'

/** Formats a mailbox as `{ email, name }`; an empty name is left out. */
export function emailName({ name, address }: Mailbox): { email: string; name?: string } {
  return name === '' ? { email: address } : { email: address, name }
}

/** Formats mailboxes as `{ email, name }`. Returns undefined for none, so that the property is left out. */
export function emailNames(mailboxes: readonly Mailbox[]): { email: string }[] | undefined {
  return unlessEmpty(mailboxes.map(emailName))
}

/** The fields that several APIs name alike. */
export function commonFields({ from, to, cc, bcc, subject, text, html }: ParsedMessage) {
  return {
    from: emailName(from),
    to: to.map(emailName),
    cc: emailNames(cc),
    bcc: emailNames(bcc),
    subject,
    text: text ?? undefined,
    html: html ?? undefined,
  }
}

/** The fields of an attachment that several APIs name alike. */
export function attachmentFields({ filename, contentType, content, embeddedId }: Attachment) {
  return {
    filename,
    type: contentType,
    content: base64(content),
    disposition: embeddedId === undefined ? 'attachment' : 'inline',
    content_id: embeddedId,
  }
}

/** Returns undefined for an empty list, so that the property is left out. */
export function unlessEmpty<List extends readonly unknown[]>(list: List): List | undefined {
  return list.length === 0 ? undefined : list
}

/** Finds the first header with a name, in any case. */
export function findHeader(headers: ParsedMessage['headers'], name: string): string | undefined {
  return headers.find((header) => header.name.toLowerCase() === name.toLowerCase())?.value
}

/** Removes the headers with some names, which are given in lower case. */
export function withoutHeaders(
  headers: ParsedMessage['headers'],
  names: ReadonlySet<string>,
): ParsedMessage['headers'] {
  return headers.filter(({ name }) => !names.has(name.toLowerCase()))
}

/**
 * Converts headers to an object, for APIs that take them so. Headers with the same name are joined by a comma.
 * @returns Undefined when there are none.
 */
export function headerRecord(
  headers: ParsedMessage['headers'],
): Record<string, string> | undefined {
  const record = new Map<string, { name: string; value: string }>()
  for (const { name, value } of headers) {
    const before = record.get(name.toLowerCase())
    record.set(name.toLowerCase(), {
      name: before?.name ?? name,
      value: before === undefined ? value : `${before.value}, ${value}`,
    })
  }
  if (record.size === 0) return undefined
  return Object.fromEntries([...record.values()].map(({ name, value }) => [name, value]))
}

/** The labels of a message for the provider's statistics. */
export interface MessageLabels {
  /** `X-Tag` headers. */
  readonly tags: readonly string[]
  /** `X-Metadata-*` headers. */
  readonly metadata: Readonly<Record<string, string>>
}

/** Reads the labels of a message that is sent as raw MIME. The message is parsed only when it has labels. */
export async function readLabels(message: ApiMessage): Promise<MessageLabels> {
  const hasLabels = readHeaders(message.raw).some(({ name }) => /^x-(tag$|metadata-)/i.test(name))
  return hasLabels ? message.parse() : { tags: [], metadata: {} }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes a raw message to a string, for APIs that take MIME inside JSON.
 * @throws {FaultError} for bytes that are not UTF-8 (an 8-bit body in another charset), because JSON would change them.
 */
export function rawText(raw: Uint8Array, title: string): string {
  try {
    return decoder.decode(raw)
  } catch {
    throw unsupportedMessage(
      `The API of ${title} accepts messages in UTF-8 only; this one has 8-bit text in another encoding.`,
      'Encode its parts as quoted-printable or base64, or use the SMTP scheme.',
    )
  }
}

/** Creates the fault of a message that an API cannot represent. Nothing was sent. */
export function unsupportedMessage(message: string, hint: string): FaultError {
  return new FaultError({
    code: 'message_refused',
    scope: 'message',
    stage: 'request',
    message,
    hint,
    isPermanent: true,
  })
}
