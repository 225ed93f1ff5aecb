import { parseTemplateTokens } from '../../sending/index.ts'
import type { ByteChunks } from './byte-chunks.ts'
import { type FieldBlock, type HeaderField, readFields } from './header-fields.ts'
import { readContent, type TextContent } from './part-content.ts'
import { decodeValue } from './read-head.ts'
import { findTextParts, type TextPart } from './text-parts.ts'
import { TooLargeToRender } from './too-large-to-render.ts'

/** More of them are in no message that anybody reads, and take minutes. */
const tokensMax = 10_000
/** An honest message has one; of what comes after so many none is looked into. */
const subjectsMax = 10

/** A text taken apart at its tokens. */
export type Segments = ReturnType<typeof parseTemplateTokens>

/** A Subject that holds a token. */
export interface FoundSubject {
  field: HeaderField
  segments: Segments
}

/** A text part that holds a token. */
export interface FoundPart {
  part: TextPart
  content: TextContent
  segments: Segments
}

/** The places of a message that hold tokens. */
export interface FoundTokens {
  subjects: readonly FoundSubject[]
  parts: readonly FoundPart[]
}

/** Finds the tokens in the Subject and the text parts of a message; `block` is its head. Throws TooLargeToRender. */
export function findTokens(
  bytes: ByteChunks,
  block: FieldBlock = readFields(bytes, { from: 0, to: bytes.sizeBytes }),
): FoundTokens {
  const subjects = block.fields.filter(({ name }) => name === 'subject').slice(0, subjectsMax)
  const found = {
    subjects: subjects.flatMap(inSubject),
    parts: findTextParts(bytes, block).flatMap((part) => inPart(bytes, part)),
  }
  if (tokensOf(found).length <= tokensMax) return found
  throw new TooLargeToRender(`The message holds more than ${tokensMax} template tokens`)
}

/** Whether there is any. */
export function hasTokens({ subjects, parts }: FoundTokens): boolean {
  return subjects.length > 0 || parts.length > 0
}

/** The ids that the tokens name, each once. */
export function templateIdsOf(found: FoundTokens): number[] {
  return [...new Set(tokensOf(found).flatMap(({ id }) => (id === undefined ? [] : [id])))]
}

function inSubject(field: HeaderField): FoundSubject[] {
  const mayHold = field.value.includes('{') || field.value.includes('=?')
  const segments = mayHold ? parseTemplateTokens(decodeValue(field.value)) : []
  return holdsToken(segments) ? [{ field, segments }] : []
}

function inPart(bytes: ByteChunks, part: TextPart): FoundPart[] {
  const content = readContent(bytes, part)
  const segments = content === undefined ? [] : parseTemplateTokens(content.text, tokensMax + 1)
  return content !== undefined && holdsToken(segments) ? [{ part, content, segments }] : []
}

function holdsToken(segments: Segments): boolean {
  return segments.some((segment) => typeof segment !== 'string')
}

function tokensOf({ subjects, parts }: FoundTokens) {
  return [...subjects, ...parts].flatMap(({ segments }) =>
    segments.filter((segment) => typeof segment !== 'string'),
  )
}
