import type { ByteChunks } from './byte-chunks.ts'
import type { Edit } from './edit.ts'
import { editHead } from './edit-head.ts'
import type { FoundPart } from './find-tokens.ts'
import { asFlowed, isFlowed } from './flowed.ts'
import type { RenderTemplate } from './relayed-message.ts'
import { encodeTransfer } from './transfer-encoding.ts'

/** A part with its tokens rendered: its body, and its head where that has to say something else now. */
export async function editPart(
  bytes: ByteChunks,
  found: FoundPart,
  render: RenderTemplate,
): Promise<Edit[]> {
  const { part, content } = found
  const pieces = await renderSegments(found, render)
  const same = content.charset.isTransparent ? joinAsBytes(pieces, found) : undefined
  const changed = same ?? joinAsUtf8(pieces, found)
  // What is in no charset that is known cannot be read, and stays.
  if (changed === undefined) return []
  const { body, encoding } = encodeTransfer(changed, { ...part, before: content.body })
  const head = editHead(bytes, part, {
    charset: same === undefined ? 'utf-8' : undefined,
    encoding: encoding === part.encoding ? undefined : encoding,
  })
  return [...head, { from: part.bodyStart, to: part.bodyEnd, bytes: body }]
}

/** What stays, as it stands in the content, or what a token became. */
type Piece = { kept: string } | { value: string }

async function renderSegments(
  { part, content, segments }: FoundPart,
  render: RenderTemplate,
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
  }
  return pieces
}

/** Undefined where a value has a character that the charset has not. */
function joinAsBytes(pieces: readonly Piece[], { content }: FoundPart): Buffer | undefined {
  const found: Buffer[] = []
  for (const piece of pieces) {
    const bytes =
      'kept' in piece ? Buffer.from(piece.kept, 'latin1') : content.charset.encode(piece.value)
    if (bytes === undefined) return undefined
    found.push(bytes)
  }
  return Buffer.concat(found)
}

function joinAsUtf8(pieces: readonly Piece[], { content }: FoundPart): Buffer | undefined {
  const { charset } = content
  let text = ''
  for (const piece of pieces) {
    const isBytes = 'kept' in piece && charset.isTransparent
    const more = 'value' in piece ? piece.value : piece.kept
    const decoded = isBytes ? charset.decode(Buffer.from(more, 'latin1')) : more
    if (decoded === undefined) return undefined
    text += decoded
  }
  return Buffer.from(text)
}
