import type { RecordedRequest } from './api-server.case.test.ts'

/** A part of a recorded form: its header lines and its text. */
export interface RecordedPart {
  head: string
  value: string
}

/** Takes a recorded multipart form apart; bytes that are not UTF-8 were lost in recording. */
export function formParts({ headers, body }: RecordedRequest): RecordedPart[] {
  const boundary = /^multipart\/form-data; boundary=([\w-]+)$/.exec(headers['content-type'] ?? '')
  if (boundary === null) throw new Error('The request is no multipart form.')
  return body
    .split(`--${boundary[1]}`)
    .slice(1, -1)
    .map((part) => {
      const [head = '', ...value] = part.replace(/^\r\n|\r\n$/g, '').split('\r\n\r\n')
      return {
        head: head.replace('Content-Disposition: form-data; ', ''),
        value: value.join('\r\n\r\n'),
      }
    })
}
