import { createSharedState } from '../../components/shared-state.ts';

const isOpen = createSharedState(false);

export const openPalette = (): void => isOpen.set(true);
export const closePalette = (): void => isOpen.set(false);
export const usePaletteOpen = isOpen.use;
