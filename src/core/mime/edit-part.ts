import type { ParsedHeaderValue } from 'nodemailer/lib/mime-funcs'
import type { ByteChunks } from './byte-chunks.ts'
import type { FoundPart } from './find-tokens.ts'
import type { RenderTemplate } from './read-message.ts'
import type { StepRunner, Steps } from './steps.ts'
import type { TextPart } from './text-parts.ts'
import { encodeTransfer } from './transfer-encoding.ts'

/** Bytes of a message to replace; an insertion where `from` is `to`. */
export interface Edit {
  readonly from: number
  readonly to: number
  readonly bytes: Buffer
}

/** What renders the tokens of a message. */
interface PartRenderer {
  render: RenderTemplate
  runner: StepRunner
}

/** Renders the tokens of a part: its body changes, and its head where charset or encoding change. */
export async function editPart(
  bytes: ByteChunks,
  part: FoundPart,
  renderer: PartRenderer,
): Promise<Edit[]> {
  const pieces = await renderSegments(part, renderer)
  return renderer.runner.run(encodePart(bytes, part, pieces))
}

function* encodePart(bytes: ByteChunks, match: FoundPart, pieces: readonly Piece[]): Steps<Edit[]> {
  const { part, content } = match
  const same = content.charset.isTransparent ? yield* joinAsBytes(pieces, match) : undefined
  const changed = same ?? (yield* joinAsUtf8(pieces, match))
  // A part in an unknown charset stays as it is.
  if (changed === undefined) return []
  yield changed.length
  const { body, encoding } = yield* encodeTransfer(changed, { ...part, before: content.body })
  const head = editHead(bytes, part, {
    charset: same === undefined ? 'utf-8' : undefined,
    encoding: encoding === part.encoding ? undefined : encoding,
  })
  yield body.length
  return [...head, { from: part.bodyStart, to: part.bodyEnd, bytes: body }]
}

/** Content that stays, or the rendered value of a token. */
type Piece = { kept: string } | { value: string }

async function renderSegments(
  { part, content, segments }: FoundPart,
  { render, runner }: PartRenderer,
): Promise<Piece[]> {
  const lineEnd = content.text.includes('\r\n') || !content.text.includes('\n') ? '\r\n' : '\n'
  const flowed = isFlowed(part.contentType)
  const pieces: Piece[] = []
  let before = ''
  for (const [index, segment] of segments.entries()) {
    if (typeof segment === 'string') {
      pieces.push({ kept: segment })
      before = segment
      continue
    }
    const value = (await render(segment.id, part.kind)).replaceAll(/\r\n|\r|\n/g, lineEnd)
    const next = segments[index + 1] ?? lineEnd
    const after = typeof next === 'string' ? next : ''
    pieces.push({ value: flowed ? asFlowed(value, { before, after, lineEnd }) : value })
    before = value === '' ? before : value
    const turn = runner.worked(value.length)
    if (turn !== undefined) await turn
  }
  return pieces
}

/** Undefined where a value has a character that the charset lacks. */
function* joinAsBytes(pieces: readonly Piece[], { content }: FoundPart): Steps<Buffer | undefined> {
  const buffers: Buffer[] = []
  for (const piece of pieces) {
    const bytes =
      'kept' in piece ? Buffer.from(piece.kept, 'latin1') : content.charset.encode(piece.value)
    if (bytes === undefined) return undefined
    buffers.push(bytes)
    yield bytes.length
  }
  return Buffer.concat(buffers)
}

function* joinAsUtf8(pieces: readonly Piece[], { content }: FoundPart): Steps<Buffer | undefined> {
  const { charset } = content
  let text = ''
  for (const piece of pieces) {
    const isBytes = 'kept' in piece && charset.isTransparent
    const more = 'value' in piece ? piece.value : piece.kept
    const decoded = isBytes ? charset.decode(Buffer.from(more, 'latin1')) : more
    if (decoded === undefined) return undefined
    text += decoded
    yield decoded.length
  }
  return Buffer.from(text)
}

/** Whether the text is `format=flowed` (RFC 3676), where blanks at the ends of lines have a meaning. */
function isFlowed({ value, params }: ParsedHeaderValue): boolean {
  return value === 'text/plain' && params['format']?.toLowerCase() === 'flowed'
}

/** The text before and after a value, and the line end of the part. */
interface FlowedContext {
  before: string
  after: string
  lineEnd: string
}

/** Stuffs a value for flowed text, so that none of its lines is quoted or flows into the next. */
function asFlowed(value: string, { before, after, lineEnd }: FlowedContext): string {
  const beginsLine = before === '' || before.endsWith('\n')
  const endsLine = after.startsWith(lineEnd)
  const lines = value.split(lineEnd)
  return lines
    .map((line, index) => {
      const isWhole = index < lines.length - 1 || endsLine
      const fixed = isWhole && line !== '-- ' ? line.trimEnd() : line
      const isStuffed = (index > 0 || beginsLine) && /^([ >]|From )/.test(fixed)
      return isStuffed ? ` ${fixed}` : fixed
    })
    .join(lineEnd)
}

/** The new values of a part's head; undefined where the value stays. */
interface HeadChange {
  charset: string | undefined
  encoding: string | undefined
}

const charsetParameter = /(;\s*charset\s*=\s*)("(?:[^"\\]|\\.)*"|[^;\s]*)/i

/** Changes the fields of a part's head, and adds those that it lacks. */
function editHead(bytes: ByteChunks, part: TextPart, change: HeadChange): Edit[] {
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
            : `${field.trimEnd()}; charset=${charset}\r\n`,
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
  /** The value to add where the field is missing. */
  missing: string
  /** Gets the field as it stands, with its line end. */
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
