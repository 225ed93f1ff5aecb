import type { ApiMessage } from '../../api/api-adapter.ts'
import { emailName } from '../../api/email-name.ts'
import { headerRecord } from '../../api/header-record.ts'
import { base64 } from '../../api/json.ts'
import { rawText } from '../../api/raw-text.ts'
import { formatMailboxes } from '../../message/format-mailbox.ts'
import type { ParsedMessage } from '../../message/parsed-message.ts'

/**
 * The body of a transmission. The message goes out as raw MIME, except where SparkPost would take a
 * part of it for its template language (`{{…}}`): that can be turned off for a message in parts only.
 * https://developers.sparkpost.com/api/transmissions/#transmissions-post-send-rfc822-content
 */
export async function buildTransmission(message: ApiMessage): Promise<object> {
  const parsed = await message.parse()
  const labels = {
    metadata: Object.keys(parsed.metadata).length > 0 ? parsed.metadata : undefined,
    // Messages come with their own tracking; SparkPost's would rewrite their links.
    options: { open_tracking: false, click_tracking: false },
  }
  const tags = parsed.tags.length > 0 ? parsed.tags : undefined
  if (!hasTemplateLanguage(parsed))
    return {
      ...labels,
      recipients: message.envelope.to.map((email) => ({ address: { email }, tags })),
      content: { email_rfc822: rawText(message.raw, 'SparkPost') },
    }
  return {
    ...labels,
    options: { ...labels.options, perform_substitutions: false },
    recipients: recipients(parsed, tags),
    content: content(parsed),
  }
}

function hasTemplateLanguage({ subject, text, html, headers, from, to, cc }: ParsedMessage) {
  return [
    subject,
    text ?? '',
    html ?? '',
    ...headers.map(({ value }) => value),
    ...[from, ...to, ...cc].map(({ name }) => name),
  ].some((part) => part.includes('{{'))
}

/** Without header_to each recipient would see himself as the only one. */
function recipients({ to, cc, bcc }: ParsedMessage, tags: readonly string[] | undefined) {
  const headerTo = formatMailboxes(to)
  return [...to, ...cc, ...bcc].map(({ address: email }) => ({
    address: { email, header_to: headerTo },
    tags,
  }))
}

function content({ from, replyTo, cc, subject, text, html, headers, attachments }: ParsedMessage) {
  const inline = attachments.filter(({ isInline, contentId }) => isInline && contentId !== null)
  const files = attachments.filter((attachment) => !inline.includes(attachment))
  const own = cc.length > 0 ? [...headers, { name: 'Cc', value: formatMailboxes(cc) }] : headers
  return {
    from: emailName(from),
    reply_to: formatMailboxes(replyTo) || undefined,
    subject,
    text: text ?? undefined,
    html: html ?? undefined,
    headers: headerRecord(own),
    attachments: files.map(({ filename, contentType, content: data }) => ({
      name: filename,
      type: contentType,
      data: base64(data),
    })),
    inline_images: inline.map(({ contentId, contentType, content: data }) => ({
      name: contentId,
      type: contentType,
      data: base64(data),
    })),
  }
}
