import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** The colours of words; the rest of the editor's look is in `design/editor.css`. */
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
    syntaxHighlighting(highlights),
  ]
}
