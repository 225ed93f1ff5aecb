import { html } from '@codemirror/lang-html'
import { jinjaLanguage } from '@codemirror/lang-jinja'
import { LanguageSupport } from '@codemirror/language'
import { MergeView, unifiedMergeView } from '@codemirror/merge'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { viewOf } from './theme.ts'

/** Two texts and what assistive technology calls them. */
export interface DiffOptions {
  parent: HTMLElement
  before: { text: string; label: string }
  after: { text: string; label: string }
  /** Side by side; else as one text with the removed lines in it. */
  isSideBySide: boolean
}

const collapse = { margin: 3, minSize: 6 }
/** A comparison of very different texts is cut short. */
const diffConfig = { scanLimit: 500, timeout: 200 }

/** Opens a comparison of two texts. Returns the function that closes it. */
export function openDiff({ parent, before, after, isSideBySide }: DiffOptions): () => void {
  const view = isSideBySide
    ? new MergeView({
        parent,
        a: { doc: before.text, extensions: extensionsOf(before.label) },
        b: { doc: after.text, extensions: extensionsOf(after.label) },
        collapseUnchanged: collapse,
        diffConfig,
      })
    : new EditorView({
        parent,
        doc: after.text,
        extensions: [
          ...extensionsOf(after.label),
          unifiedMergeView({
            original: before.text,
            mergeControls: false,
            collapseUnchanged: collapse,
            diffConfig,
          }),
        ],
      })
  return () => view.destroy()
}

const extensionsOf = (label: string): Extension[] => [
  ...viewOf(label, true),
  new LanguageSupport(jinjaLanguage, html().support),
]
