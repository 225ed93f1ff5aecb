import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { html } from '@codemirror/lang-html'
import { closePercentBrace, jinjaLanguage } from '@codemirror/lang-jinja'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { bracketMatching, LanguageSupport } from '@codemirror/language'
import { type Diagnostic, linter, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension, Text } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
} from '@codemirror/view'
import { templateWords } from '../../words/templates.ts'
import { createTokenCompletion, createTwigCompletion, type Knowledge } from './completion.ts'
import { viewOf } from './theme.ts'

/** A fault or a warning at a place of a template; lines and columns count from 1. */
export interface PlacedRemark {
  message: string
  line: number
  column: number
  /** Whether the code cannot run because of it. */
  isFault: boolean
}

/** An editor in the page. */
export interface CodeHandle {
  /** Replaces the text, without a call of `onText`. The cursor stays where it is, or moves to the end of a shorter text. */
  write: (text: string) => void
  goTo: (place: { line: number; column: number }) => void
  /** Marks faults and warnings. */
  mark: (remarks: readonly PlacedRemark[]) => void
  close: () => void
}

export interface EditorOptions {
  parent: HTMLElement
  text: string
  /** What assistive technology calls it. */
  label: string
  /** `email`: Twig with the tokens of emails. */
  language: 'twig' | 'email' | 'json'
  isReadOnly: boolean
  /** Called after a change. */
  onText: (text: string) => void
  /** For completion. */
  knowledge?: Knowledge | undefined
}

/** Opens a CodeMirror editor: the one module, beside `open-diff.ts`, that loads CodeMirror. */
export function openEditor(options: EditorOptions): CodeHandle {
  const { parent, text, label, isReadOnly, onText } = options
  let isWriting = false
  const watch = EditorView.updateListener.of(({ docChanged, state }) => {
    if (docChanged && !isWriting) onText(state.doc.toString())
  })
  const view = new EditorView({
    parent,
    doc: text,
    extensions: [
      ...viewOf(label, isReadOnly),
      highlightSpecialChars(),
      drawSelection(),
      watch,
      ...languageOf(options),
      ...(isReadOnly ? [] : editing),
      keymap.of([...searchKeymap, ...defaultKeymap]),
    ],
  })
  return {
    write(next) {
      const { doc, selection } = view.state
      if (doc.toString() === next) return
      const length = Text.of(next.split('\n')).length
      const anchor = Math.min(selection.main.anchor, length)
      isWriting = true
      view.dispatch({ changes: { from: 0, to: doc.length, insert: next }, selection: { anchor } })
      isWriting = false
    },
    goTo(place) {
      const anchor = offsetOf(view.state.doc, place)
      view.dispatch({
        selection: { anchor },
        effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
      })
      view.focus()
    },
    mark(remarks) {
      const diagnostics = remarks.map((remark) => diagnosticOf(view.state, remark))
      view.dispatch(setDiagnostics(view.state, diagnostics))
    },
    close: () => view.destroy(),
  }
}

/** A list that is still being looked up at blur would open over an editor that was left: CodeMirror closes only an open one then. */
const closeCompletionOnLeave = EditorView.updateListener.of(({ view }) => {
  if (!view.dom.contains(document.activeElement)) closeCompletion(view)
})

const editing: Extension[] = [
  history(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  highlightSelectionMatches(),
  lintGutter(),
  autocompletion({ icons: false }),
  closeCompletionOnLeave,
  keymap.of([
    { key: 'Tab', run: acceptCompletion },
    ...closeBracketsKeymap,
    ...historyKeymap,
    ...completionKeymap,
    ...lintKeymap,
  ]),
]

function languageOf({ language, knowledge, isReadOnly }: EditorOptions): Extension[] {
  if (language === 'json') return [json(), ...(isReadOnly ? [] : [linter(jsonParseLinter())])]
  const support: Extension[] = [html().support, closePercentBrace]
  if (knowledge !== undefined)
    support.push(jinjaLanguage.data.of({ autocomplete: createTwigCompletion(knowledge) }))
  if (knowledge !== undefined && language === 'email') {
    // They stand in HTML too, which has a separate language.
    const tokens = [{ autocomplete: createTokenCompletion(knowledge) }]
    support.push(EditorState.languageData.of(() => tokens))
  }
  return [new LanguageSupport(jinjaLanguage, support)]
}

function diagnosticOf(state: EditorState, remark: PlacedRemark): Diagnostic {
  const { message, isFault } = remark
  const from = offsetOf(state.doc, remark)
  const line = state.doc.lineAt(from)
  const [word = ''] = /^[\w]+|^\S/.exec(line.text.slice(from - line.from)) ?? []
  const diagnostic: Diagnostic = {
    from,
    to: from + word.length,
    severity: isFault ? 'error' : 'warning',
    message,
  }
  const suggestion = /Did you mean "(\w+)"/.exec(message)?.[1]
  if (suggestion !== undefined && !state.readOnly) {
    const apply = (view: EditorView, start: number, end: number) =>
      view.dispatch({ changes: { from: start, to: end, insert: suggestion } })
    diagnostic.actions = [{ name: templateWords.replaceWith(suggestion), apply }]
  }
  return diagnostic
}

/** Lines and columns count from 1; a place that is gone is the nearest one. */
function offsetOf(doc: Text, { line, column }: { line: number; column: number }): number {
  const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines))
  return Math.min(from + Math.max(column - 1, 0), to)
}
