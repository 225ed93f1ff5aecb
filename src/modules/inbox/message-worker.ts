import PostalMime, { type Attachment, decodeWords, type Email } from 'postal-mime'
import { answerWith } from '../../kit/reading-thread.ts'
import type { InboxContent } from './schema.ts'

// The thread that reads one message for display.

/** The message, and what is asked for: its content, or its HTML as a page. */
export interface ReadRequest {
  source: Uint8Array
  part: 'content' | 'page'
}

/** Characters of HTML and of text in one answer, each. */
const textLengthMax = 1_048_576
/** Characters of all headers together in one answer. */
const headersLengthMax = 262_144
const attachmentsMax = 200

function readContent(email: Email): InboxContent {
  const problems: string[] = []
  const cut = (part: string, text: string | undefined) => {
    if (text === undefined) return null
    if (text.length <= textLengthMax) return text
    problems.push(`The ${part} is longer than ${textLengthMax} characters and was cut there.`)
    return text.slice(0, textLengthMax).toWellFormed()
  }
  return {
    headers: readHeaders(email, problems),
    html: cut('HTML', email.html),
    text: cut('text', email.text),
    attachments: readAttachments(email.attachments, problems),
    problems,
  }
}

function readHeaders({ headers }: Email, problems: string[]): InboxContent['headers'] {
  const shown: InboxContent['headers'] = []
  let length = 0
  for (const { originalKey: name, value: raw } of headers) {
    length += name.length + raw.length
    if (length > headersLengthMax) {
      problems.push(`The headers are longer than ${headersLengthMax} characters; some are missing.`)
      break
    }
    shown.push({ name, value: decodeWords(raw) })
  }
  return shown
}

function readAttachments(all: readonly Attachment[], problems: string[]) {
  if (all.length > attachmentsMax)
    problems.push(`It has ${all.length} attachments; the first ${attachmentsMax} are listed.`)
  return all.slice(0, attachmentsMax).map((attachment) => ({
    filename: attachment.filename ?? 'attachment',
    contentType: attachment.mimeType,
    sizeBytes: bytesOf(attachment).byteLength,
    isInline: attachment.disposition === 'inline' || (attachment.related ?? false),
  }))
}

function bytesOf({ content }: Attachment): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content)
}

/** The bytes of all images that a page contains. */
const pageImageBytesMax = 8 * 1_048_576

/** The HTML with its own images in it; undefined where the message has none. */
function readPage({ html, attachments }: Email): string | undefined {
  if (html === undefined) return undefined
  const images = new Map(
    attachments.flatMap((each) => {
      const { contentId, mimeType } = each
      const isImage = /^image\/[\w.+-]+$/i.test(mimeType)
      return contentId === undefined || !isImage ? [] : [[bare(contentId), each] as const]
    }),
  )
  let bytesLeft = pageImageBytesMax
  return html
    .slice(0, textLengthMax)
    .replaceAll(/\bcid:([^"'\s)>&]{1,998})/gi, (whole, id: string) => {
      const image = images.get(bare(id))
      if (image === undefined) return whole
      const bytes = bytesOf(image)
      bytesLeft -= bytes.byteLength
      if (bytesLeft < 0) return whole
      return `data:${image.mimeType};base64,${Buffer.from(bytes).toString('base64')}`
    })
}

function bare(contentId: string): string {
  return contentId.replace(/^</, '').replace(/>$/, '')
}

answerWith(async ({ source, part }: ReadRequest) => {
  const email = await PostalMime.parse(source, { forceRfc822Attachments: true })
  return part === 'content' ? readContent(email) : readPage(email)
})
