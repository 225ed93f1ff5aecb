import type { HttpRequest } from '../connect/http-message.ts'

/** One field of a form. A file has a file name and a content type. */
export interface FormPart {
  readonly name: string
  readonly value: string | Uint8Array
  readonly filename?: string
  readonly contentType?: string
}

/** A form to post. */
interface Form {
  readonly parts: readonly FormPart[]
  /** Random for each form, so that no part can contain it. */
  readonly boundary: string
}

/**
 * Builds a POST request with a multipart/form-data body.
 * @see RFC 7578
 */
export function postForm(
  url: string,
  headers: Readonly<Record<string, string>>,
  { parts, boundary }: Form,
): HttpRequest {
  return {
    method: 'POST',
    url,
    headers: {
      accept: 'application/json',
      'content-type': `multipart/form-data; boundary=${boundary}`,
      ...headers,
    },
    body: Buffer.concat([
      ...parts.flatMap((part) => [
        Buffer.from(`--${boundary}\r\n${head(part)}\r\n\r\n`),
        Buffer.from(part.value),
        Buffer.from('\r\n'),
      ]),
      Buffer.from(`--${boundary}--\r\n`),
    ]),
  }
}

function head({ name, filename, contentType }: FormPart): string {
  const file = filename === undefined ? '' : `; filename="${escaped(filename)}"`
  const type = contentType === undefined ? '' : `\r\nContent-Type: ${contentType}`
  return `Content-Disposition: form-data; name="${escaped(name)}"${file}${type}`
}

/** Escapes a name as browsers do; a line end in it would start another header. */
function escaped(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
