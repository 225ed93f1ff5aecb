import { useTyped } from '../lib/use-typed.ts'
import { words } from '../words/common.ts'

/** A search box that searches when typing pauses, or at once on Enter. It follows `value`, the search in the address. */
export function SearchForm({
  value,
  onSearch,
  label = words.search,
}: {
  value: string
  onSearch: (text: string) => void
  /** What is searched; also shown inside the empty box. */
  label?: string
}) {
  const { text, setText, send } = useTyped(value, onSearch)
  return (
    <search>
      <form
        class="search"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <input
          class="input"
          type="search"
          aria-label={label}
          placeholder={label}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </form>
    </search>
  )
}
