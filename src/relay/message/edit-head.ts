import type { ByteChunks } from './byte-chunks.ts'
import type { Edit } from './edit.ts'
import type { TextPart } from './text-parts.ts'

/** What a part's head is to say of its body; undefined where that stays as it is. */
export interface HeadChange {
  charset: string | undefined
  encoding: string | undefined
}

const charsetParameter = /(;\s*charset\s*=\s*)("(?:[^"\\]|\\.)*"|[^;\s]*)/i

/** The fields of a part's head that change, and those that it lacked. */
export function editHead(bytes: ByteChunks, part: TextPart, change: HeadChange): Edit[] {
  const { charset, encoding } = change
  const edits: Edit[] = []
  if (charset !== undefined)
    edits.push(
      editField(bytes, part, {
        name: 'Content-Type',
        missing: `text/plain; charset=${charset}`,
        change: (field) =>
          charsetParameter.test(field)
            ? field.replace(charsetParameter, `$1${charset}`)
            : field.replace(/\s*$/, (end) => `; charset=${charset}${end}`),
      }),
    )
  if (encoding !== undefined)
    edits.push(
      editField(bytes, part, {
        name: 'Content-Transfer-Encoding',
        missing: encoding,
        change: () => `Content-Transfer-Encoding: ${encoding}\r\n`,
      }),
    )
  const isMime = part.headStart > 0 || part.fields.some(({ name }) => name === 'mime-version')
  if (edits.length > 0 && !isMime) edits.push(insert(part, 'MIME-Version: 1.0\r\n'))
  return edits
}

interface FieldEdit {
  name: string
  /** Its value where there is none yet. */
  missing: string
  /** The field with its line end, as it stands. */
  change: (field: string) => string
}

function editField(bytes: ByteChunks, part: TextPart, { name, missing, change }: FieldEdit): Edit {
  const field = part.fields.find((one) => one.name === name.toLowerCase())
  if (field === undefined) return insert(part, `${name}: ${missing}\r\n`)
  const [from, to] = [part.headStart + field.start, part.headStart + field.end]
  return {
    from,
    to,
    bytes: Buffer.from(change(bytes.slice(from, to).toString('latin1')), 'latin1'),
  }
}

function insert({ headEnd }: TextPart, line: string): Edit {
  return { from: headEnd, to: headEnd, bytes: Buffer.from(line) }
}
