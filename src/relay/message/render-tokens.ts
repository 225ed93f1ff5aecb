import { createByteChunks } from './byte-chunks.ts'
import { describeMessage } from './describe-message.ts'
import type { Edit } from './edit.ts'
import { findTokens, hasTokens } from './find-tokens.ts'
import type { RelayedMessage, RenderTemplate } from './relayed-message.ts'
import { editPart } from './render-part.ts'
import { editSubject } from './render-subject.ts'
import { TooLargeToRender } from './too-large-to-render.ts'

/**
 * Renders the tokens of every text part and of the Subject, and encodes these again as they were encoded;
 * all other bytes stay. Attachments, signed parts and what is broken stay as they are. What is put in is
 * not looked at again. Throws what `render` throws, and TooLargeToRender where the message would have more
 * than `sizeMax` bytes.
 */
export async function renderTokens(
  message: RelayedMessage,
  renderTemplate: RenderTemplate,
  sizeMax: number,
): Promise<RelayedMessage> {
  const bytes = createByteChunks(message.chunks)
  const tokens = findTokens(bytes)
  if (!hasTokens(tokens)) return message
  const render = onceEach(renderTemplate, sizeMax)
  const edits: Edit[] = []
  for (const subject of tokens.subjects) edits.push(await editSubject(subject, render))
  for (const part of tokens.parts) edits.push(...(await editPart(bytes, part, render)))
  const pieces: Uint8Array[] = []
  let at = 0
  for (const { from, to, bytes: replacement } of edits.sort(
    (one, other) => one.from - other.from,
  )) {
    pieces.push(...bytes.pieces(at, from), replacement)
    at = to
  }
  pieces.push(...bytes.pieces(at, bytes.sizeBytes))
  const rendered = createByteChunks(pieces)
  if (rendered.sizeBytes > sizeMax) throw tooLarge(sizeMax)
  const { head, fingerprint, contentDigest } = message
  const known = { head, fingerprint, contentDigest }
  return describeMessage(rendered, { ...known, tokens: { subjects: [], parts: [] } })
}

/** The same template comes out the same in all its places; what they all come to is stopped before it is put together. */
function onceEach(render: RenderTemplate, sizeMax: number): RenderTemplate {
  const rendered = new Map<string, string>()
  let left = sizeMax
  return async (id, kind) => {
    const key = `${kind} ${id}`
    const text = rendered.get(key) ?? (await render(id, kind))
    rendered.set(key, text)
    left -= text.length
    if (left >= 0) return text
    throw tooLarge(sizeMax)
  }
}

function tooLarge(sizeMax: number): TooLargeToRender {
  return new TooLargeToRender(`The rendered message is larger than ${sizeMax} bytes`)
}
