/** The answer to a message for a recipient: a code of RFC 5321, an enhanced status code of RFC 3463, and a sentence. */
export interface Reply {
  readonly code: number
  /** Such as `5.1.1`. */
  readonly status: string
  readonly text: string
}

export function createReply(code: number, status: string, text: string): Reply {
  return { code, status, text }
}

/** The reply as one line, as it is stored and shown. */
export function replyLine({ code, status, text }: Reply): string {
  return `${code} ${status} ${text}`
}

/** The reply if there is no memory for a message or for the copies that are made to send it. */
export const memoryLimitReached = createReply(
  452,
  '4.3.1',
  'The limit for message data in memory is reached; try again later',
)

/** Whether another attempt cannot help. */
export function isPermanent({ code }: Reply): boolean {
  return code >= 500
}
