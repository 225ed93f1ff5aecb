import { base64 } from '../../api/json.ts'
import { uncarriable } from '../../api/uncarriable.ts'
import type { Attachment, Mailbox, ParsedMessage } from '../../message/parsed-message.ts'

const headersMax = 5

/**
 * The body of sendMail for a message that is not to be kept in Sent Items. Graph takes one of HTML and
 * text, and only headers that begin with `X-`; the others are left out.
 * https://learn.microsoft.com/graph/api/resources/message
 */
export function jsonMessage(message: ParsedMessage) {
  const { html, text, attachments, replyTo } = message
  return {
    message: {
      subject: message.subject,
      body: { contentType: html === null ? 'Text' : 'HTML', content: html ?? text ?? '' },
      from: recipient(message.from),
      toRecipients: message.to.map(recipient),
      ccRecipients: message.cc.length > 0 ? message.cc.map(recipient) : undefined,
      bccRecipients: message.bcc.length > 0 ? message.bcc.map(recipient) : undefined,
      replyTo: replyTo.length > 0 ? replyTo.map(recipient) : undefined,
      internetMessageId: message.messageId ?? undefined,
      internetMessageHeaders: ownHeaders(message),
      attachments: attachments.length > 0 ? attachments.map(attachment) : undefined,
    },
    saveToSentItems: false,
  }
}

function recipient({ name, address }: Mailbox) {
  return { emailAddress: name === '' ? { address } : { address, name } }
}

function ownHeaders({ headers }: ParsedMessage) {
  const own = headers.filter(({ name }) => /^x-/i.test(name))
  if (own.length > headersMax)
    throw uncarriable(
      `Microsoft Graph takes at most ${headersMax} headers of one's own with noSave; this message has ${own.length}.`,
      'Leave some out, or send without noSave.',
    )
  return own.length > 0 ? own : undefined
}

function attachment({ filename, contentType, content, contentId, isInline }: Attachment) {
  return {
    '@odata.type': '#microsoft.graph.fileAttachment',
    name: filename,
    contentType,
    contentBytes: base64(content),
    contentId: contentId ?? undefined,
    isInline,
  }
}
