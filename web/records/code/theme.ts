import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** The colours of the design system, so that the editor follows its light and dark. */
const look = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--surface)', color: 'var(--text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: 'var(--small)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--text)', padding: 'var(--s2) 0' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--surface)',
    color: 'var(--quiet)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--line-active)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { background: 'var(--accent-soft)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--accent-soft)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)', outline: '1px solid var(--warn)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--accent-soft)' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'transparent',
    outline: '1px solid var(--line-strong)',
  },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--bad-soft)' },
  '.cm-panels, .cm-tooltip': {
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    border: '1px solid var(--line)',
  },
  '.cm-tooltip': { borderRadius: 'var(--radius)', boxShadow: 'var(--shadow)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '16em' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    background: 'var(--accent)',
    color: 'var(--accent-text)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.85' },
  '.cm-completionInfo': { maxWidth: '20rem', padding: 'var(--s2)' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: 'var(--bold)' },
  '.cm-diagnostic': { padding: 'var(--s1) var(--s2)', borderLeftWidth: '3px' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-diagnosticAction, .cm-button': {
    background: 'var(--surface)',
    color: 'var(--accent)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
  },
  '.cm-lintRange-error': { backgroundImage: 'none', borderBottom: '2px solid var(--bad)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', borderBottom: '2px solid var(--warn)' },
  '.cm-textfield': {
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
  },
  '.cm-panel.cm-search label': { fontSize: 'var(--small)' },
  '.cm-foldPlaceholder, .cm-collapsedLines': {
    background: 'var(--sunken)',
    color: 'var(--quiet)',
    border: '0',
  },
  '.cm-changedLine, &.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--good-soft)' },
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--bad-soft)' },
  '.cm-changedText, &.cm-merge-b .cm-changedText': {
    background: 'none',
    boxShadow: 'inset 0 -2px var(--good)',
  },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': {
    background: 'none',
    boxShadow: 'inset 0 -2px var(--bad)',
  },
})

const highlights = HighlightStyle.define([
  { tag: [tags.brace, tags.controlKeyword, tags.definitionKeyword], color: 'var(--accent)' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--accent)' },
  { tag: [tags.tagName, tags.angleBracket], color: 'var(--quiet)' },
  { tag: tags.attributeName, color: 'var(--quiet)' },
  { tag: [tags.string, tags.attributeValue], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: tags.special(tags.variableName), color: 'var(--warn)' },
  { tag: [tags.variableName, tags.propertyName], color: 'var(--text)', fontWeight: 'var(--bold)' },
  { tag: tags.comment, color: 'var(--quiet)', fontStyle: 'italic' },
])

/** How all code of the console looks. `label`: what assistive technology calls it. */
export function viewOf(label: string, isReadOnly: boolean): Extension[] {
  return [
    EditorView.contentAttributes.of({
      'aria-label': label,
      // What can be edited has the focus anyway; tools that examine a scrolled region look for this.
      tabindex: '0',
      ...(isReadOnly && { 'aria-readonly': 'true' }),
    }),
    EditorState.readOnly.of(isReadOnly),
    lineNumbers(),
    EditorView.lineWrapping,
    look,
    syntaxHighlighting(highlights),
  ]
}
