document.body.append('explorer');
