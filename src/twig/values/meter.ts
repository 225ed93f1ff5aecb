/** Counts work, and throws when there is too much of it. Whatever may walk far or take memory asks it. */
export interface Meter {
  /** Asks for so many steps of work. */
  spend(steps: number): void
  /** Asks for the time to read or copy so many characters, as the engine below does it. */
  spendOnText(length: number): void
  /** Asks for the time to look at so many characters one by one. */
  spendOnCharacters(length: number): void
  /** Asks for so many bytes. */
  allocate(bytes: number): void
  /** Asks for the memory of a text of so many characters, and for the time to write them. */
  allocateText(length: number): void
  /** Asks for a collection of so many elements, and for the time to fill it. */
  allocateElements(count: number): void
}
