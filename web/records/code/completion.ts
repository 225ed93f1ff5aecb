import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
  startCompletion,
} from '@codemirror/autocomplete'
import type { EditorView } from '@codemirror/view'
import type { Body, Schema } from '../../lib/api.ts'
import { templateWords } from '../../words/templates.ts'
import { findPlace, propertiesOf, resolveLoop } from './context.ts'

/** A word of the language, as `GET /api/twigTemplates/language` lists it. */
export type LanguageEntry = Body<'GET', '/api/twigTemplates/language'>['language'][number]

/** What completion knows. Asked at every completion, so that it may change while people type. */
export interface Knowledge {
  language: () => readonly LanguageEntry[]
  /** Paths of variables, such as `contact.firstname`. */
  variables: () => readonly string[]
  /** The aliases of the fields of contacts. */
  contactFields: () => readonly string[]
  /** The templates whose names have a text. */
  findTemplates: (start: string, signal: AbortSignal) => Promise<readonly NamedTemplate[]>
}

/** A template, as a list of names has it. */
export type NamedTemplate = Pick<Schema<'TwigTemplate'>, 'id' | 'name' | 'isPublished'>

const loopProperties = 'index index0 revindex revindex0 first last length parent'.split(' ')
const operators = 'and or not in is matches true false null'.split(' ')
/** Tags that continue or end another one. */
const innerTags = [
  'else elseif endif endfor endblock endset endmacro endwith endembed endapply',
  'endautoescape endverbatim endcache endsandbox',
].flatMap((names) => names.split(' '))

/** Completes Twig: tags, filters, functions, tests, variables, their properties, and names of templates. */
export function createTwigCompletion(knowledge: Knowledge): CompletionSource {
  return async (context) => {
    const before = context.state.sliceDoc(0, context.pos)
    const place = findPlace(before)
    if (place === undefined) return null
    const { from } = place
    if (place.kind === 'template')
      return completeTemplates(context, {
        from,
        knowledge,
        optionOf: ({ name }) => ({ label: name }),
      })
    const isEmpty = from === context.pos
    if (isEmpty && !context.explicit && place.kind === 'expression') return null
    const options =
      place.kind === 'property'
        ? completeProperties(resolveLoop(place.path, before), knowledge)
        : completeWords(place.kind, knowledge)
    return options.length === 0 ? null : { from, options, validFor: /^\w*$/ }
  }
}

function completeWords(
  kind: 'tag' | 'filter' | 'test' | 'expression',
  { language, variables }: Knowledge,
): Completion[] {
  const entryKind = kind === 'expression' ? 'function' : kind
  const ofLanguage = language().flatMap((entry) =>
    entry.kind === entryKind ? [entryOption(entry)] : [],
  )
  if (kind === 'tag') return [...ofLanguage, ...keywords(innerTags)]
  if (kind !== 'expression') return ofLanguage
  const roots = new Set(variables().map((path) => path.split(/[.[]/, 1)[0] ?? path))
  const ofVariables = [...roots, 'loop'].map((label) => ({ label, type: 'variable', boost: 2 }))
  return [...ofVariables, ...ofLanguage, ...keywords(operators)]
}

function entryOption({ name, signature, description, isDeprecated, kind }: LanguageEntry) {
  const parameters = signature.startsWith(name) ? signature.slice(name.length) : ''
  const option: Completion = { label: name, type: kind === 'tag' ? 'keyword' : 'function' }
  if (parameters !== '') option.detail = parameters
  const info = [isDeprecated ? templateWords.deprecated : '', description].filter(Boolean)
  if (info.length > 0) option.info = info.join(' ')
  if (isDeprecated) option.boost = -10
  return option
}

function keywords(labels: readonly string[]): Completion[] {
  return labels.map((label) => ({ label, type: 'keyword', boost: -1 }))
}

function completeProperties(path: string, { variables }: Knowledge): Completion[] {
  const names = path === 'loop' ? loopProperties : propertiesOf(path, variables())
  return names.map((label) => ({ label, type: 'property' }))
}

interface TemplateCompletion {
  from: number
  knowledge: Knowledge
  optionOf: (template: NamedTemplate) => Completion
}

async function completeTemplates(
  context: CompletionContext,
  { from, knowledge: { findTemplates }, optionOf }: TemplateCompletion,
): Promise<CompletionResult | null> {
  const controller = new AbortController()
  context.addEventListener('abort', () => controller.abort(), { onDocChange: true })
  try {
    const start = context.state.sliceDoc(from, context.pos)
    const templates = await findTemplates(start, controller.signal)
    const options = templates.map((each) => ({ ...optionOf(each), type: 'text' }))
    return { from, options, filter: false }
  } catch {
    return null
  }
}

/** The beginning of a token, up to the cursor. */
const tokenBefore = /(?:^|[^{])\{(?:(contactfield|twigtemplate)=)?([^{}|=]*)$/
const linkTokens = ['unsubscribe_url', 'unsubscribe_text', 'webview_url']

/** Completes the tokens of emails: `{contactfield=firstname}`, and `{twigtemplate=5}` by the name of the template. */
export function createTokenCompletion(knowledge: Knowledge): CompletionSource {
  return async (context) => {
    const line = context.state.doc.lineAt(context.pos)
    const [, name, value = ''] =
      tokenBefore.exec(context.state.sliceDoc(line.from, context.pos)) ?? []
    const from = context.pos - value.length
    if (name === 'twigtemplate') {
      const optionOf = ({ id, name: label }: NamedTemplate) => closing(label, String(id))
      return completeTemplates(context, { from, knowledge, optionOf })
    }
    const isToken = context.state.sliceDoc(from - 1, from) === (name === undefined ? '{' : '=')
    if (!isToken || !/^\w*$/.test(value)) return null
    const options =
      name === 'contactfield'
        ? knowledge.contactFields().map((alias) => closing(alias, alias))
        : [
            ...['contactfield=', 'twigtemplate='].map(opening),
            ...linkTokens.map((each) => closing(each, each)),
          ]
    return { from, options, validFor: /^\w*$/ }
  }
}

/** Inserts a text and the end of its token. */
function closing(label: string, text: string): Completion {
  const apply = (view: EditorView, _option: Completion, from: number, to: number) => {
    const insert = view.state.sliceDoc(to, to + 1) === '}' ? text : `${text}}`
    const selection = { anchor: from + text.length + 1 }
    view.dispatch({ changes: { from, to, insert }, selection })
  }
  return label === text ? { label, apply } : { label, detail: text, apply }
}

/** Inserts the name of a token, and offers its values. */
function opening(label: string): Completion {
  const apply = (view: EditorView, _option: Completion, from: number, to: number) => {
    view.dispatch({
      changes: { from, to, insert: label },
      selection: { anchor: from + label.length },
    })
    startCompletion(view)
  }
  return { label, apply }
}
