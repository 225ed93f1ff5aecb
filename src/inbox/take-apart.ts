import PostalMime, { type Attachment, decodeWords, type Email } from 'postal-mime'
import type { InboxContent } from './schema.ts'

/** Characters of HTML and of text in one answer, each. */
const textLengthMax = 1_048_576
/** Characters of all headers together in one answer. */
const headersLengthMax = 262_144
const attachmentsMax = 200

/** Takes a message apart for display. It may take seconds for a hostile one: run it in a worker. */
export async function takeApart(source: Uint8Array): Promise<InboxContent> {
  const email = await PostalMime.parse(source, { forceRfc822Attachments: true })
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
  return all
    .slice(0, attachmentsMax)
    .map(({ filename, mimeType, content, disposition, related }) => ({
      filename: filename ?? (mimeType === 'message/rfc822' ? 'message.eml' : 'attachment'),
      contentType: mimeType,
      sizeBytes: typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength,
      isInline: disposition === 'inline' || (related ?? false),
    }))
}
