import type { Redactor } from '../delivery/redactor.ts'
import type { Reply } from '../delivery/reply.ts'

/** One reply as it was received (RFC 5321, section 4.2), its lines without the code. */
export interface SmtpReply {
  readonly code: number
  readonly lines: readonly string[]
}

const enhancedPattern = /^([245]\.\d{1,3}\.\d{1,3})(?: |$)/
/** The prompts of AUTH LOGIN, which servers repeat in refusals. */
const encodedPrompts = /\b(VXNlcm5hbWU6|UGFzc3dvcmQ6)/g

/** Whether the code says "done" (2yz). */
export function isPositive({ code }: SmtpReply): boolean {
  return code >= 200 && code < 300
}

/** Whether the code says "not now" (4yz). */
export function isTransient({ code }: SmtpReply): boolean {
  return code >= 400 && code < 500
}

/** The enhanced status code of RFC 3463, if the reply begins with one. */
export function enhancedCodeOf({ lines }: SmtpReply): string | null {
  return enhancedPattern.exec(lines[0] ?? '')?.[1] ?? null
}

/** The text without codes, lines joined by a blank. */
export function textOf({ lines }: SmtpReply): string {
  return lines
    .map((line) => line.replace(enhancedPattern, '').trim())
    .filter((line) => line !== '')
    .join(' ')
}

/** The reply as it may be shown. */
export function shownReply(reply: SmtpReply, redact: Redactor): Reply {
  return {
    protocol: 'smtp',
    code: reply.code,
    enhancedCode: enhancedCodeOf(reply),
    text: redact(textOf(reply)).replace(encodedPrompts, '').trim(),
  }
}

/** Code and text, as a sentence quotes them: `550 5.1.1 No such user`. */
export function quoteReply({ code, enhancedCode, text }: Reply): string {
  return [String(code), enhancedCode, text].filter(Boolean).join(' ')
}
