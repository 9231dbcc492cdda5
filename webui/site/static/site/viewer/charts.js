export function showCharts() { return null; }
