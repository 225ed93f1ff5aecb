import type { WorkQueue } from '../../kit/work-queue.ts'
import { createByteChunks } from './byte-chunks.ts'
import { type Edit, editPart } from './edit-part.ts'
import { encodeHeaderText } from './encoded-words.ts'
import { type FoundSubject, hasTokens, TooLargeToRender } from './find-tokens.ts'
import type { RelayedMessage, RenderTemplate } from './read-message.ts'
import { StepRunner } from './steps.ts'

export interface RenderOptions {
  /** The most bytes that the rendered message may have. */
  sizeMax: number
  /** Where rendering a large message takes turns with other work. */
  work: Pick<WorkQueue, 'turn'>
}

/**
 * Renders the tokens of every text part and of the Subject, and encodes these again as they were encoded;
 * all other bytes stay. Attachments, signed parts and broken parts stay as they are. Tokens in a rendered
 * template are not rendered.
 * @throws TooLargeToRender where the message would have more than `sizeMax` bytes, and what `render` throws.
 */
export async function renderTokens(
  message: RelayedMessage,
  renderTemplate: RenderTemplate,
  { sizeMax, work }: RenderOptions,
): Promise<RelayedMessage> {
  const bytes = createByteChunks(message.chunks)
  const runner = new StepRunner(() => work.turn())
  const tokens = await runner.run(message.search())
  if (!hasTokens(tokens)) return message
  const render = onceEach(renderTemplate, sizeMax)
  const edits: Edit[] = []
  let { head } = message
  for (const subject of tokens.subjects) {
    const value = await renderSubject(subject, render)
    // Of several, the first counts.
    if (subject.field.value === message.head.subject) head = { ...head, subject: value }
    const { start: from, end: to } = subject.field
    edits.push({ from, to, bytes: Buffer.from(`Subject: ${value}\r\n`) })
  }
  for (const part of tokens.parts) edits.push(...(await editPart(bytes, part, { render, runner })))
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
  return message.withRendered(head, rendered)
}

/** Renders each template once for all its places, and stops before the sum of the texts is too large. */
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

/** Renders the tokens of a Subject, and encodes it. It stays one line, whatever a template prints. */
async function renderSubject({ segments }: FoundSubject, render: RenderTemplate): Promise<string> {
  let text = ''
  for (const segment of segments)
    text += typeof segment === 'string' ? segment : oneLine(await render(segment.id, 'text'))
  return encodeHeaderText(text)
}

function oneLine(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim())
  return lines.filter((line) => line !== '').join(' ')
}
