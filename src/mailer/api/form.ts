import type { HttpRequest } from '../http/http-exchange.ts'

/** One field of a form; a file has a name and a type. */
export interface FormPart {
  readonly name: string
  readonly value: string | Uint8Array
  readonly filename?: string
  readonly contentType?: string
}

/** A form to be posted. */
export interface Form {
  readonly parts: readonly FormPart[]
  /** Fresh for each form, so that no part can hold it. */
  readonly boundary: string
}

/** A POST of multipart/form-data (RFC 7578). Bytes stay as they are. */
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

/** As browsers write names; a line end in one would begin another header. */
function escaped(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
